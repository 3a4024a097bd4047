package org.weft.osd.store.engine;

import java.util.Collections;
import java.util.SortedSet;

/** A change without data. */
abstract class SmallChange implements Change {
  @Override
  public final SortedSet<Integer> segments() {
    return Collections.emptySortedSet();
  }

  @Override
  public final void committed() {}

  @Override
  public final void abandoned() {}

  @Override
  public final void inDoubt() {}
}
