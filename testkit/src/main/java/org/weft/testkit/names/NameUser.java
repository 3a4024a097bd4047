package org.weft.testkit.names;

import java.util.List;

/** A user of a {@link NameTree}, as sessions state it. */
public record NameUser(String name, List<String> groups) {
  /** May do everything. */
  public static final NameUser SUPERUSER = new NameUser("weft", List.of("supergroup"));

  /** True if no rights are asked for. */
  public boolean isSuper() {
    return name.equals(SUPERUSER.name);
  }
}
