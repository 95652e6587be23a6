"""How much has to travel before the page is there?"""
