package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.layout.FaultDomain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets what a BladeSet keeps to. */
@Command(
    name = "set",
    description =
        "Sets the fault domain of a BladeSet: no two components of a group are put into one, as far as there"
            + " are enough. Counts for new files and for components that move; nothing moves for it.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bladeset set default --domain rack",
      "",
      "auto   the rack where there are as many as a group has components, else the host",
      "rack   the rack; files are as narrow as the number of racks asks for",
      "host   the host",
      "osd    the OSD: files are as wide as there are OSDs, and a host that is lost takes several",
      "       components of one file with it"
    })
@JsonFields(
    shape = "one object",
    value = {"bladeSet: its name", "domain: auto, osd, host or rack"})
final class BladeSetSetCommand extends BladeSetAction {
  @Parameters(paramLabel = "NAME", description = "The BladeSet.")
  private String name;

  @Option(
      names = "--domain",
      required = true,
      paramLabel = "DOMAIN",
      description = "auto, rack, host or osd.")
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
        wanted(name).setSetDomainValue(wish.number()),
        JsonNodeFactory.instance.objectNode().put("bladeSet", name).put("domain", wish.word()),
        "BladeSet " + name + " keeps to fault domain " + wish.word() + " from now on.");
  }
}
