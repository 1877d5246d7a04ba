"""What the records mean; reads them and nothing else.

outcomes     which attempt counts at each task and replicate      asked          the comparisons that were asked for
panel        everything that is published of one panel            rollup         every run and panel in one table
discordance  how replicates disagree: the measured noise          usage          what a panel used, and re-rolls
attribution  what a difference may be attributed to               site/          the board: pages, records, lock, verify
interpret    which word a difference gets, and what may be said   *_form, words  JSON, Markdown and terminal
caveats      what to know besides                                 status, show   what runs; how results are printed
compare      two runs, task by task
"""
