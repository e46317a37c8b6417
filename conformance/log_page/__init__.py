"""A page of the site that decodes and checks a binary log in the browser: nothing is sent anywhere."""
