package org.weft.cli.manager;

import org.weft.cli.output.JsonFields;
import picocli.CommandLine.Command;

/** {@code weft manager undrain}. */
@Command(
    name = "undrain",
    description =
        "Lets a manager that was drained have volumes again. What has moved away stays there; move it back"
            + " with `weft volume move`.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = "  weft manager undrain manager-2")
@JsonFields(
    shape = "one object",
    value = {"managerId: its number", "draining: false"})
public final class UndrainCommand extends DrainAction {
  public UndrainCommand() {
    super(true);
  }
}
