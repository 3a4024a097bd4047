package org.weft.metadata.check;

import java.util.Objects;
import java.util.Optional;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Something of an object that contradicts something else.
 *
 * @param osd the one that it is about, if it is about one
 * @param what a sentence
 */
public record Suspicion(FindingKind kind, ObjectId object, Optional<OsdId> osd, String what) {
  public Suspicion {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(osd, "osd");
    Objects.requireNonNull(what, "what");
  }

  static Suspicion of(FindingKind kind, ObjectId object, String what) {
    return new Suspicion(kind, object, Optional.empty(), what);
  }

  static Suspicion on(OsdId osd, FindingKind kind, ObjectId object, String what) {
    return new Suspicion(kind, object, Optional.of(osd), what);
  }
}
