package org.weft.simulator.check;

/**
 * A promise that was broken.
 *
 * @param rule in a few words, alike for alike findings
 * @param text one readable paragraph: what was expected, what was found
 */
public record BrokenRule(String rule, String text) {
  @Override
  public String toString() {
    return rule + ": " + text;
  }
}
