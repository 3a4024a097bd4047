/**
 * Commands that change objects: {@link org.weft.osd.command.write.WriteCommands} says which there
 * are. Each checks its message and makes a mutation of the store of it (P 5.3-5.5).
 */
package org.weft.osd.command.write;
