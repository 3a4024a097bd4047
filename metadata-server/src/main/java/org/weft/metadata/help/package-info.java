/**
 * Managers that help each other to rebuild (P 6.8; Panasas FAST'08 section 4.4). The primary of a
 * volume decides everything. It gives the copying of components to other managers that have room,
 * its workers.
 */
package org.weft.metadata.help;
