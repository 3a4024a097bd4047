package org.weft.simulator.workload;

/** What a hand does next with a file that it has open for writing. */
enum WriteStep {
  /** By the handle that writes. */
  READ,
  WRITE,
  /** A little, behind the end. */
  WRITE_RECORD,
  /** Behind the end, up to where a unit ends or nearly so. */
  WRITE_TO_BORDER,
  HFLUSH,
  HSYNC,
  /** To at most what the file has. */
  CUT,
  SET_LENGTH,
  PUNCH,
  END,
  GIVE_UP;

  /**
   * The step that was drawn.
   *
   * @param drawn from 0 to 99
   * @param updates the file is open for changes anywhere, not only behind its end
   */
  static WriteStep of(int drawn, Geometry geometry, boolean updates) {
    if (geometry.has(WorkloadBias.HOT)) {
      return hot(drawn, geometry, updates);
    }
    if (geometry.has(WorkloadBias.LOGGING)) {
      return logging(drawn, updates);
    }
    if (geometry.has(WorkloadBias.APPENDING)) {
      return appending(drawn);
    }
    if (drawn < 52) {
      return drawn < 20 && updates && geometry.has(WorkloadBias.SHARING) ? READ : WRITE;
    }
    if (drawn < 66) {
      return drawn < 61 ? HFLUSH : HSYNC;
    }
    if (drawn < 80 && updates) {
      return change(drawn);
    }
    return drawn < 97 ? END : GIVE_UP;
  }

  private static WriteStep hot(int drawn, Geometry geometry, boolean updates) {
    if (drawn < 72) {
      return drawn < 30 && updates && geometry.has(WorkloadBias.SHARING) ? READ : WRITE;
    }
    if (drawn < 79) {
      return drawn < 77 ? HFLUSH : HSYNC;
    }
    if (drawn < 86) {
      return change(drawn - 8);
    }
    return drawn < 96 ? END : GIVE_UP;
  }

  /** Record after record, most of them flushed, and now and then something else. */
  private static WriteStep logging(int drawn, boolean updates) {
    if (drawn < 45) {
      return WRITE_RECORD;
    }
    if (drawn < 92) {
      return drawn < 86 ? HFLUSH : HSYNC;
    }
    if (drawn < 95 && updates) {
      return CUT;
    }
    return drawn < 99 ? END : GIVE_UP;
  }

  /** A little, flushed, and once more. */
  private static WriteStep appending(int drawn) {
    if (drawn < 45) {
      return WRITE_TO_BORDER;
    }
    if (drawn < 85) {
      return drawn < 80 ? HFLUSH : HSYNC;
    }
    return drawn < 97 ? END : GIVE_UP;
  }

  private static WriteStep change(int drawn) {
    return drawn >= 74 ? PUNCH : SET_LENGTH;
  }
}
