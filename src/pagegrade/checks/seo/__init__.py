"""Can search engines find, read and show the page?"""
