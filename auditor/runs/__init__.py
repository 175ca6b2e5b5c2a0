"""Where runs come from: functions, worker processes, programs in any language."""
