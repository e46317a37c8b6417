"""The model of a sender: the thread of a source that sends its binary logs to a replica (WL#4162, WL#4033, WL#7592).

`sender_settings` holds what a replica asks for, `sender` sends the logs event by event.
"""
