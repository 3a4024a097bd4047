package org.weft.metadata.attributes;

/** The numbers of a device, both unsigned; kept for gateways and never used. */
public record Device(int major, int minor) {
  /** For a node that is no device. */
  public static final Device NONE = new Device(0, 0);
}
