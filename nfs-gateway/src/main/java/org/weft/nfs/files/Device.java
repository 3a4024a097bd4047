package org.weft.nfs.files;

/**
 * The numbers of a device node; kept, never used.
 *
 * @param major unsigned
 * @param minor unsigned
 */
public record Device(int major, int minor) {
  /** Of nodes that are no devices. */
  public static final Device NONE = new Device(0, 0);
}
