/**
 * Calls to object storage devices (DESIGN 5): where they are, one data connection to each, and
 * their commands as typed calls. Connections complete their futures on event loops; {@link
 * OsdClient} moves every answer to its owner's executor before a caller sees it.
 */
package org.weft.client.osd;
