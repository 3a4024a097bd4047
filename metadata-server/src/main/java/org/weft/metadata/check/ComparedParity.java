package org.weft.metadata.check;

import java.util.Objects;
import org.weft.client.stripe.check.ParityReport;

/**
 * What came of comparing the parity of some stripes of a file with their data.
 *
 * @param report {@link ParityReport#NOTHING} where nothing was read, or where what was read does
 *     not count
 * @param why a sentence, where it could not be compared; else empty
 */
public record ComparedParity(Outcome outcome, ParityReport report, String why) {
  /** How it ended. */
  public enum Outcome {
    /** No unit that can be read contradicts another one; some may have damaged blocks. */
    ALIKE,
    /** Units that can all be read contradict each other, at one moment at which no client wrote. */
    CONTRADICTED,
    /** The file is being written, or what was written is not settled yet. */
    WRITTEN,
    /** Something of the file is missing, out of date or being rebuilt. */
    NOT_WHOLE,
    /** An OSD did not answer, or a part cannot be decided. */
    FAILED
  }

  public ComparedParity {
    Objects.requireNonNull(outcome, "outcome");
    Objects.requireNonNull(report, "report");
    Objects.requireNonNull(why, "why");
  }

  static ComparedParity of(ParityReport report) {
    return new ComparedParity(
        report.contradictingUnits() == 0 ? Outcome.ALIKE : Outcome.CONTRADICTED, report, "");
  }

  static ComparedParity not(Outcome outcome, String why) {
    return new ComparedParity(outcome, ParityReport.NOTHING, why);
  }

  /** It says what the stripes hold. */
  public boolean isKnown() {
    return outcome == Outcome.ALIKE || outcome == Outcome.CONTRADICTED;
  }
}
