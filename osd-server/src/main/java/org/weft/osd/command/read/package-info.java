/**
 * Commands that change nothing: {@link org.weft.osd.command.read.ReadCommands} says which there
 * are.
 */
package org.weft.osd.command.read;
