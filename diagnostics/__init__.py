"""Tools that look into a driver: traces of its time, verbose logging, pictures of models, readers of crash reports.

``tracing`` records spans of time and ``trace_summary`` adds them up; ``vlog`` logs; ``graph_dump`` draws models;
``exceptions`` and ``native_faults`` find the place of a fault in Python and in native code; ``nearest_names`` suggests
names in messages.
"""
