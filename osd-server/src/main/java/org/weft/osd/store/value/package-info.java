/**
 * Values that calls of the store and its formats share: ids of writes, tags, keys, runs of blocks.
 */
package org.weft.osd.store.value;
