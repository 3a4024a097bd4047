/**
 * Entries of SysMgr's log, and what applying one answers. SysMgr's service proposes commands, and
 * {@code configuration} decides what they do. Every time and every random value in a command was
 * drawn by the leader. Uses {@code state} and what that uses. Immutable.
 */
package org.weft.sysmgr.configuration.command;
