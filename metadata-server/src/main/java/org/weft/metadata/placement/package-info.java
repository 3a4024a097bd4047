/**
 * Where new objects go (P 4.1, 4.4; Panasas FAST'08 section 4.2). Pure: it is given the cluster
 * table and random numbers, and answers with a storage map. Runs on the volume's thread.
 */
package org.weft.metadata.placement;
