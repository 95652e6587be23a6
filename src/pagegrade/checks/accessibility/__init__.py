"""Can everyone use the page?"""
