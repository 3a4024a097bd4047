/**
 * When a command of a manager's background work is begun: clients go first. {@link
 * org.weft.osd.command.turn.FrameCommand} is a command with a frame of its own, which ends its turn
 * with its answer.
 */
package org.weft.osd.command.turn;
