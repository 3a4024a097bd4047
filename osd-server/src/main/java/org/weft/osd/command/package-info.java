/**
 * The command processor of an OSD (DESIGN 5, P 5.2-5.7). One handler for each family of commands
 * checks every limit, turns the message into records of the store's own and calls the store. The
 * capability check is all that the OSD obeys besides fences.
 *
 * <p>{@link org.weft.osd.command.OsdCommandService} is called on event loops and hands each command
 * to a bounded pool; handlers run there and may block. No type of the wire passes into the store.
 */
package org.weft.osd.command;
