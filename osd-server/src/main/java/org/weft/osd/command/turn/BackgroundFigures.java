package org.weft.osd.command.turn;

/**
 * Counts the commands of managers' copying and comparing that waited for clients since the start.
 *
 * @param waiting commands that wait now
 * @param waited commands that had to wait and wait no longer, whatever became of them
 * @param waitedNanos how long these waited, together
 */
public record BackgroundFigures(int waiting, long waited, long waitedNanos) {}
