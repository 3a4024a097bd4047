package org.weft.osd.check;

/** Hears now and then how far a check is. */
@FunctionalInterface
public interface CheckListener {
  CheckListener NONE = (what, done) -> {};

  /**
   * @param what "objects", "extents", ...
   * @param done how many of them so far
   */
  void reached(String what, long done);
}
