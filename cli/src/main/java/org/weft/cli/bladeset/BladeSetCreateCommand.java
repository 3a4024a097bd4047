package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.layout.FaultDomain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a BladeSet. */
@Command(
    name = "create",
    description = "Makes a BladeSet without OSDs.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bladeset create fast",
      "  weft bladeset create archive --domain rack     files keep to racks, and are as narrow as that takes",
      "",
      "OSDs come into it with `weft bladeset grow`, or new ones by `osd.bladeset` in their weft.conf."
    })
@JsonFields(
    shape = "one object",
    value = {"created: its name", "domain: auto, osd, host or rack"})
final class BladeSetCreateCommand extends BladeSetAction {
  @Parameters(
      paramLabel = "NAME",
      description = "1 to 64 letters, digits, dots, hyphens, underscores.")
  private String name;

  @Option(
      names = "--domain",
      paramLabel = "DOMAIN",
      defaultValue = "auto",
      description =
          "What no two components of a group share; see `weft bladeset set` (default: auto).")
  private String domain;

  @Override
  protected void check() {
    wish(domain);
  }

  @Override
  protected void run(AdminView admin) {
    FaultDomain.Wish wish = wish(domain);
    change(
        admin,
        wanted(name).setCreateValue(wish.number()),
        JsonNodeFactory.instance.objectNode().put("created", name).put("domain", wish.word()),
        "BladeSet "
            + name
            + " is there. It has no OSDs yet: weft bladeset grow "
            + name
            + " OSD...");
  }
}
