/**
 * RocksDB behind {@link org.weft.protocol.seam.KeyValueStore}, and a store in a folder of the disk.
 */
package org.weft.osd.store.rocksdb;
