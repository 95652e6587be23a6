"""Can everybody use the page?"""
