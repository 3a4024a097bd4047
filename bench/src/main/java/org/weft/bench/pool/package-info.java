/**
 * A cluster of ten thousand OSDs and a billion files on paper: the placement, layout and map code
 * that managers and clients run, without daemons.
 */
package org.weft.bench.pool;
