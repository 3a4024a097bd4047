/**
 * Which blocks are free: the allocator and the pins of readers. No IO; everything here is derived
 * from the extents at the start of a store and lives in memory ("OSDFS" of Panasas FAST'08, section
 * 3.2).
 */
package org.weft.osd.store.space;
