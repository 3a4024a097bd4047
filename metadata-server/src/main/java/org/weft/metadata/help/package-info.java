/**
 * Managers that help each other to rebuild: the primary of a volume decides everything and gives
 * the copying of components to other managers that have room, its workers (P 6.8; Panasas FAST'08
 * section 4.4).
 */
package org.weft.metadata.help;
