/**
 * One code for every file (DESIGN 4, P 4.1): striping, mirroring, RAID-5, RAID-6 and three parities
 * are the same few lines of GF(2^8) arithmetic. Pure functions of bytes; no IO, no threads.
 */
package org.weft.client.raid;
