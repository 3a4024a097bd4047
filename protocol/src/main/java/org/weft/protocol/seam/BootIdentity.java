package org.weft.protocol.seam;

/**
 * Tells one boot of the machine from another: an unclean stop without a reboot lost no page cache
 * (P 5.9).
 */
@FunctionalInterface
public interface BootIdentity {
  /** The same string for as long as the machine's kernel runs; another after each boot. */
  String bootId();
}
