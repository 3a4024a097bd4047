package org.weft.metadata.backup;

import java.util.Locale;

/** Why a warm state is thrown away, or never was one. */
public enum WarmDoubt {
  /** The primary is of an older release, which does not send what a warm state needs. */
  OLD_PRIMARY,
  /** More records wait, or would need redo, than the manager keeps in memory. */
  TOO_MUCH,
  /** A record is missing. */
  GAP,
  /** A record cannot be applied, or not be read. */
  NOT_APPLIED,
  /** No snapshot came that tells from which live state the journal goes on. */
  NO_SNAPSHOT,
  /** The copy was not whole when its manager was promoted. */
  NOT_WHOLE,
  /** Another copy of the volume takes its place. */
  NEW_COPY,
  /** The copy was given up: a write of it failed, the volume is gone, or the manager stops. */
  GIVEN_UP,
  /** The volume's row names this manager neither its primary nor its backup any more. */
  NOT_NAMED;

  /** As in names of figures: "not-applied". */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
