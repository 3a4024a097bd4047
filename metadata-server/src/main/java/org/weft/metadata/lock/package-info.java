/**
 * Byte-range locks (P 6.5). Part of the volume's live state: pure, on the volume's thread, rebuilt
 * from the journal; the owners that wait are known to one process alone.
 */
package org.weft.metadata.lock;
