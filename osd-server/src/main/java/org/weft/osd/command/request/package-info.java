/**
 * What every command of an OSD goes through: the message with its limits, and the check of its
 * capability (P 5.7). Then the handler turns it into a call of the store.
 */
package org.weft.osd.command.request;
