/**
 * Where the bytes of a file lie: pure arithmetic, no IO (P 4.1; Panasas FAST'08 section 4.2, "RAID
 * and data placement").
 */
package org.weft.protocol.layout;
