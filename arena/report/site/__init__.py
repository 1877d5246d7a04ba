"""A board: a folder of pages and records that needs nothing else.

gates    what is refused          views    what pages show        publish  writes a board
layout   where everything lies    pages    every page as text     verify   computes a board again
data     the published records    logs     Inspect's viewer       lock     digests of every file
"""
