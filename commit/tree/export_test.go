package tree

// Solana makes the other trees of Shred's shape.
var Solana = solana
