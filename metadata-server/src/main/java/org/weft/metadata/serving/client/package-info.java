/**
 * Connections of clients: on which of them a session is asked to give something back, and which
 * sessions have lost all of theirs (P 6.5). {@link
 * org.weft.metadata.serving.client.ControlConnections} belongs to all volumes of the manager and is
 * thread-safe; the rest is confined to a volume's thread. Uses none of the packages beside it.
 */
package org.weft.metadata.serving.client;
