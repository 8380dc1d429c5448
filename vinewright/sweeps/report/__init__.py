"""The report of a sweep: tables and pictures over all factors."""
