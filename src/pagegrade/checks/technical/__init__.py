"""Does the page speak its formats correctly?"""
