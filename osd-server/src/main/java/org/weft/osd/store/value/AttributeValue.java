package org.weft.osd.store.value;

/**
 * One page of an object's attributes, as the record with that LSN left it (P 6.3). The store does
 * not look inside. The caller gives the array away.
 *
 * @param page number of the page; 0 holds a file's attributes
 * @param value at most {@value #MAX_BYTES} bytes
 */
public record AttributeValue(int page, long lsn, byte[] value) {
  public static final int MAX_BYTES = 64 << 10;
}
