package org.weft.cli.manager;

import org.weft.cli.output.JsonFields;
import picocli.CommandLine.Command;

/** {@code weft manager drain}. */
@Command(
    name = "drain",
    description =
        "Moves all volumes of a manager to others while they are used, and waits for that. It gets no new ones"
            + " until `weft manager undrain`.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft manager drain manager-2      before its host is stopped for maintenance",
      "",
      "A drain that is interrupted goes on by itself; `weft status` shows it."
    })
@JsonFields(
    shape = "one object",
    value = {"managerId: its number", "draining: true"})
public final class DrainCommand extends DrainAction {
  public DrainCommand() {
    super(false);
  }
}
