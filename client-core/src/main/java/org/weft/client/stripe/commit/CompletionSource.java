package org.weft.client.stripe.commit;

import java.util.List;

/**
 * A writer as {@link CompletionNotifier} sees it. It says what its file's components are to be told
 * of completion (P 5.4), and hears what has become of each word. Thread-safe.
 */
interface CompletionSource {
  /** Adds what is to be told in this round; false if nothing is left for another one. */
  boolean addNews(List<CompletionNotice> news);

  /** True if there is, or will be, something to tell a component that was not told yet. */
  boolean hasNews();

  /** True if the word is of the grant that the file is still written under. */
  boolean stands(CompletionNotice said);

  /** A component has heard its word. */
  void heard(CompletionNotice said);

  /** A component will not hear its word: it has no use for it, or the tries are used up. */
  void unheard(CompletionNotice said);

  /** There was no room for the word. */
  void unsaid(CompletionNotice said);

  /** Hands all words that can be told now to the collector; does not wait. */
  void tellCompletion();
}
