"""What the records mean; reads them and nothing else.

outcomes     which attempt counts at each task and replicate      asked          the comparisons that were asked for
panel        everything that is published of one panel            rollup         every run and panel in one table
discordance  how replicates disagree: the measured noise          standings      all pairs, ranks, tiers, the best
noise        the noise floor as an artifact beside a run          alarms         worse than its own base
attribution  what a difference may be attributed to               factorial      the 2 x 2 tables of a study
interpret    which word a difference gets, and what may be said   plan, costs    what an effect needs, and what it costs
caveats      what to know besides                                 stopping       whether a study needs another round
compare      two runs, task by task                               rounds         runs cut to whole rounds
decide       what a comparison does to a claim                    figures        Vega-Lite figures, drawn as SVG and PNG
claims       every locked claim, decided                          usage          what a panel used, and re-rolls
site/        the board: pages, records, lock, verify              *_form, words  JSON, Markdown and terminal
                                                                  status, show   what runs; how results are printed
"""
