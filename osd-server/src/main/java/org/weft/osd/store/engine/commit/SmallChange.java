package org.weft.osd.store.engine.commit;

import java.util.Collections;
import java.util.SortedSet;

/** A change without data. */
public abstract class SmallChange implements Change {
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
