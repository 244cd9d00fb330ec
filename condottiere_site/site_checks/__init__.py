"""What `check_site` tries from outside: names, signatures, mail, https, pages, the clock."""
