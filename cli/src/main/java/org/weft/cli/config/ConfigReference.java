package org.weft.cli.config;

/** Writes {@code docs/configuration.md} from the table of keys. */
public final class ConfigReference {
  private ConfigReference() {}

  /** The page as Markdown. */
  public static String markdown() {
    StringBuilder page = new StringBuilder();
    page.append("# Configuration\n\n")
        .append(
            "`weft.conf` is a Java properties file; `weft osd|manager|sysmgr|nfs --config FILE` read it, and\n")
        .append(
            "`--set KEY=VALUE` lays one value over it. A key that does not exist is refused. This page is\n")
        .append(
            "made by `weft config reference`; a test compares it with the table in the code.\n\n")
        .append("| key | default | meaning |\n| --- | --- | --- |\n");
    for (ConfigKey key : ConfigKey.values()) {
      String standard = key.defaultValue().isEmpty() ? "" : "`" + key.defaultValue() + "`";
      page.append("| `")
          .append(key.key())
          .append("` | ")
          .append(standard)
          .append(" | ")
          .append(key.description())
          .append(" |\n");
    }
    return page.toString();
  }
}
