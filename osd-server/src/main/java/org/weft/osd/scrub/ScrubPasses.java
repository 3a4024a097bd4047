package org.weft.osd.scrub;

/**
 * Passes of a scrubber.
 *
 * @param ended whole ones since the start of the process
 * @param hurried one goes on, or is about to begin, that was asked for
 */
public record ScrubPasses(long ended, boolean hurried) {
  ScrubPasses withOneBegun() {
    return new ScrubPasses(ended, true);
  }

  ScrubPasses withOneEnded() {
    return new ScrubPasses(ended + 1, false);
  }
}
